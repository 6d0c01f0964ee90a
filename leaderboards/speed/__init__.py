"""How many rounds a second: worlds and learners through the public interface, on one core."""
