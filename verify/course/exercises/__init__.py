"""The exercises of the course, one declaration a file."""

# By level, in teaching order: the modules, each imported when it is asked for.
EXERCISES = {
    "foundation": ("ex01_plan", "ex02_implement", "ex03_publish", "ex04_trace"),
    "practitioner": ("ex01_setup", "ex02_delegate", "ex03_implement", "ex04_trace"),
    "expert": ("ex01_classify", "ex02_tiers", "ex03_cross_domain", "ex04_evidence"),
}
