"""Ridge regression: the factor that `LinUCB` learns with, other factors, fixed arms, sketches."""
