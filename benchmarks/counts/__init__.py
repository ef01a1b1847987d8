"""Operations of equations, counted."""
