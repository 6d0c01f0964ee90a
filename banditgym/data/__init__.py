"""Data from files: labelled rows of (index, value) pairs, regression problems, and logs.

``labelled_rows`` defines the result of loaders. ``svmlight`` and ``rcv1_tokens`` read files, also
in chunks and constant memory; ``rcv1`` finds the news stories in either of their forms; ``bundled``
has the data sets that come with scikit-learn. ``regression_data`` reads rows with a number each.
``target_tables`` reads tables; ``columns`` distinguishes numbers, times and text.
``yahoo`` reads logs of news, and ``simulated_logs`` simulates them. ``open_bandit`` reads the Open
Bandit Dataset. README.md beside this file says how to get RCV1 and these logs.
"""

from banditgym.data.open_bandit_dataset import open_bandit as open_bandit
