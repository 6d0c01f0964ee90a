"""What agents of logistic rewards share."""
