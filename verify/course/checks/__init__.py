"""The check functions: pure functions of a context, put together by the exercises."""
