"""Submissions: third-party agents, each in its own folder, checked, scored and shown.

Everything in a submission's folder is untrusted: its text is refused or escaped, and its code runs
only where `leaderboards.submit.playing` starts it. Submissions lie in ``leaderboards/submissions``,
a folder of data beside this package. If they were modules of this package, a submission could
replace one of its modules.
"""
