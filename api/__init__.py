"""What people and programs see of elasticd: REST, events, metrics and the dashboard, on FastAPI.

Importing this package imports no framework, so that the command line can check a job's spec with
`api.specs`.
"""
