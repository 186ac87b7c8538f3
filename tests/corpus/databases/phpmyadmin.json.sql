[
{"type":"header","version":"5.2.1"},
{"type":"database","name":"shop"}
]
