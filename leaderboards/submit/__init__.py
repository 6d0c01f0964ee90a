"""Submissions: third-party agents, each in its own folder, checked, scored and shown.

Everything in a submission's folder is untrusted: bad text is refused, other text is escaped, and
the code runs only where `leaderboards.submit.playing` starts it. Submissions are in
``leaderboards/submissions``, a folder of data beside this package. If they were modules of this
package, a submission could replace one of its modules.
"""
