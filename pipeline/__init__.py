"""The protocol of the issue pipeline and the pipeline that speaks it."""
