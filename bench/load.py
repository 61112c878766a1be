"""Load on the service, over loopback: how fast, how it bears bad clients, how it stops.

    python bench/load.py             everything, some minutes
    python bench/load.py --quick     the same with less of it

Every answer is compared with the expected bytes. Rates stand beside those of a bare Starlette route
that echoes its body, served by uvicorn with the same settings and measured in the same run.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys

import chrf
from chrf.service import tools
from loopback import (
    LOOPBACK,
    SERVE,
    Load,
    beside,
    cases,
    cut,
    dearest_calls,
    hold,
    hostile_bodies,
    kill_a_worker,
    last_words,
    load,
    post,
    serving,
    stop_under_load,
    storm,
)

ECHO = [sys.executable, __file__, "--echo"]


def echo() -> None:
    """Serve the bare route: a body in, the same body out."""
    import uvicorn
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import Route

    from chrf.cli.serve import listen
    from chrf.service.limits import IDLE_TIMEOUT, backlog

    async def same(request: Request) -> Response:
        return Response(await request.body(), media_type="application/json")

    path = tools.path("{id}", "{version}")
    app = Starlette(routes=[Route(f"{path}/execute", same, methods=["POST"])])
    config = uvicorn.Config(
        app,
        lifespan="on",
        ws="none",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_keep_alive=IDLE_TIMEOUT,
        backlog=backlog(),
    )
    with listen(LOOPBACK, 0) as listener:
        print(f"echo on http://{LOOPBACK}:{listener.getsockname()[1]}", file=sys.stderr)
        uvicorn.Server(config).run(sockets=[listener])


def rates(total: int) -> None:
    """Each case at 1, 32 and 500 clients, in turns with the echo."""
    turns = 5
    with serving(ECHO) as bare, serving(SERVE) as ours:
        for clients in (1, 32, 500):
            for what in cases().values():
                count = max(total // (20 if "65" in what.name else 5), clients)
                echoed, called = Load(), Load()
                used = bare.cpu(), ours.cpu()
                for _ in range(turns):
                    echoed += asyncio.run(load(bare.port, what, clients, count, echo=True))
                    called += asyncio.run(load(ours.port, what, clients, count))
                used = bare.cpu() - used[0], ours.cpu() - used[1]
                each = [f"   cpu {1000 * seconds / (turns * count):5.2f} ms" for seconds in used]
                print(f"{clients:4} clients, {what.name:24} echo {echoed}{each[0]}")
                print(f"{'':38}chrf {called}{each[1]}", flush=True)


def endurance(total: int) -> None:
    """Many requests in sequence; memory."""
    what = cases()["compute, 2 segments"]
    with serving(SERVE) as server:
        asyncio.run(load(server.port, what, 1, total // 10))
        memory = [server.memory()]
        for _ in range(10):
            asyncio.run(load(server.port, what, 1, total // 10))
            memory.append(server.memory())
    shown = " ".join(f"{each:.1f}" for each in memory)
    print(f"{total} requests in sequence, resident MB from request {total // 10} on: {shown}")


def bad_clients(count: int) -> None:
    """Others are served while many dawdle and many leave."""
    listed = cases()
    small, large = listed["compute, 2 segments"], listed["compute, 65,536 bytes"]
    with serving([*SERVE, "--body-timeout", "10"]) as server:

        async def run() -> None:
            before = server.memory()
            alone = await load(server.port, small, 8, 4 * count)
            held = await hold(server.port, large, count)
            beside = await load(server.port, small, 8, 4 * count)
            print(f"8 clients alone             {alone}")
            print(f"8 beside {count} slow clients   {beside}")
            print(f"resident MB: {before:.1f}, with the slow clients {server.memory():.1f}")
            answers = await asyncio.gather(*(last_words(writer) for writer in held))
            print(f"answers to the slow clients: {sorted(set(answers))}")
            await cut(server.port, large, count)
            after = await load(server.port, small, 8, 4 * count)
            print(f"after {count} cut calls         {after}")

        asyncio.run(run())
        assert server.stop() == 0
        assert "Traceback" not in server.log, server.log


def overload(clients: int, count: int) -> None:
    """Others are served beside the dearest calls, and beside bodies made to be dear."""
    small = cases()["compute, 2 segments"]
    for dear in dearest_calls().values():
        with serving(SERVE) as server:
            measured, answered = asyncio.run(beside(server.port, small, dear, clients, count))
            print(f"beside {clients} clients, {dear.name:24} {measured}", end="   ")
            print(
                f"{answered / measured.seconds:.0f}/s of them, peak {server.peak_memory():.0f} MB"
            )
    for name, body in hostile_bodies().items():
        with serving(SERVE) as server:
            used = server.cpu()
            request = post("chrf-compute", body)
            statuses, latencies = asyncio.run(storm(server.port, request, clients))
            print(f"{clients} bodies of {name:16} answered {sorted(set(statuses))}:", end=" ")
            print(f"cpu {server.cpu() - used:.2f} s, peak {server.peak_memory():.0f} MB,", end=" ")
            print(f"health at most {1000 * max(latencies):.0f} ms")


def the_end(clients: int) -> None:
    """SIGTERM under load, and a worker killed."""
    small = cases()["compute, 2 segments"]
    for workers in (1, 2):
        with serving(SERVE, workers) as server:
            seen = asyncio.run(stop_under_load(server, small, clients, slow=clients // 4))
            status = server.process.wait(60)
        print(f"SIGTERM, {workers} worker(s): {seen}, exit status {status}")
    with serving(SERVE, workers=2) as server:
        answered, failed, seconds = asyncio.run(kill_a_worker(server, small, clients))
        assert "Traceback" not in server.log, server.log
    print(f"a worker of 2 killed under {clients} clients: replaced in {seconds:.1f} s;", end=" ")
    print(f"{answered} requests answered, {failed} lost")


def main() -> None:
    """Run everything."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--echo", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--quick", action="store_true")
    settings = parser.parse_args()
    if settings.echo:
        echo()
        return
    scale = 10 if settings.quick else 1
    print(f"chrf {chrf.__version__}, Python {sys.version.split()[0]}, {os.cpu_count()} CPUs")
    rates(10_000 // scale)
    endurance(100_000 // scale)
    bad_clients(500 // scale)
    overload(40, 1000 // scale)
    the_end(100 // scale + 10)


if __name__ == "__main__":
    main()
