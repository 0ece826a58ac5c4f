"""The contracts of the stages, one file per key of a pipeline: each turns one stream into another.

A stream is opened with `async with` and read with `async for`, so that what it needs (tasks,
sockets, an engine's place in the queue) ends with the block, whatever the reader did.
"""
