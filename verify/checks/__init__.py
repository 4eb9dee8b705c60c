"""The check functions: pure functions of an attempt, put together by the exercises."""
