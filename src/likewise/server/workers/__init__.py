"""`likewise serve --workers N`: N processes that answer searches by words, and one for the rest.

The main process is the server as it is without workers: it holds jobs, learned queries, sessions
with their warm rankers, uploads, and is the one writer. Workers take all connections. They check
who asks, how often and how much, answer what `quick` can from the newest generation, and pass
everything else on to the main process, over a socket in a folder that only this user can open.

    FOLDER/main           the main process listens here
    FOLDER/rates          how often each client has asked, over all workers
    FOLDER/PID.counted    what a worker has counted, about every second
"""
