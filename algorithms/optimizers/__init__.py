"""Operations on a step before it moves the model."""
