"""Which refs of the sources stand for one thing, and why. What is then believed of that thing is `temporal`."""
