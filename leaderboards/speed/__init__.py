"""How many rounds a second: environments and agents through the public interface, on one core."""
