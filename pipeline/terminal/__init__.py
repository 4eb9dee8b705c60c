"""What a command says and how: text for a terminal, streams, arguments, crashes, exit codes."""
