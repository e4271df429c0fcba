"""The fast side: rods, shells of revolution, constant curvature and joints."""
