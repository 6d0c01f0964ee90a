"""Data from files: labelled, as rows of (index, value) pairs, one module a format; or regressions.

``labelled_rows`` says what loaders give; ``svmlight`` and ``rcv1_tokens`` read files, also in
chunks and constant memory; ``rcv1`` finds the news stories in either of their forms; ``bundled``
gives the data sets that come with scikit-learn. ``regression_data`` reads rows with a number each.
``yahoo`` reads logs of news, and ``simulated_logs`` makes such logs. README.md beside this file
says how to get RCV1 and these logs.
"""
