"""Submissions: agents of others, each in a folder of its own, checked, scored and shown.

Everything in a submission's folder is untrusted: its text is refused or escaped, its code runs only
where `leaderboards.submit.playing` starts it. Submissions lie in ``leaderboards/submissions``, a
folder of data beside this package: were they modules of it, a folder could shadow a module.
"""
