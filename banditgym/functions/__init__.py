"""Functions of points: covariances, draws of Gaussian processes, test functions, their maxima."""
