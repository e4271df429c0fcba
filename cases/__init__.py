"""What is studied: cases, elastomers, bodies, loads, and the units they are written in."""
