"""What this machine has of what the pipeline needs (specification, section 1), and what to do."""

from pipeline.doctor.examination import examine
from pipeline.doctor.finding import MISSING, NOTE, OK, Finding
from pipeline.doctor.machine import Machine, this_machine

__all__ = ["MISSING", "NOTE", "OK", "Finding", "Machine", "examine", "this_machine"]
