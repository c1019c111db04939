#!/usr/bin/env python3
"""A session with `tilerun debug --dap` by a client that others wrote for other debuggers: dap-mcp, whose messages are types of the protocol's schema. Usage:
client.py TILERUN KERNELS

KERNELS is tests/lit/tilerun/Inputs/debug.py. An answer that is not of its type in the schema fails. Exit code 77 if the client is missing (`pip install dap-mcp`;
TILERUN_DAP_PYTHON names the Python that has it), or 1 if TILERUN_REQUIRE has the word dap.
"""
import asyncio
import os
import pathlib
import shutil
import subprocess
import sys

try:
    import dap_types as types
    from dap_mcp.debugger import Debugger, StoppedDebuggerView
    from dap_mcp.factory import DAPClientSingletonFactory
except ImportError:
    for python in filter(None, (os.environ.get("TILERUN_DAP_PYTHON"), "/usr/bin/python3", shutil.which("python3"))):
        if subprocess.run([python, "-c", "import dap_mcp.debugger"], capture_output=True).returncode == 0:
            os.execv(python, [python, *sys.argv])
    print("not run: dap-mcp, a client of the Debug Adapter Protocol, was not found (pip install dap-mcp)")
    sys.exit(1 if "dap" in os.environ.get("TILERUN_REQUIRE", "").split(",") else 77)


def check_stop(view, line, name="normalize"):
    assert isinstance(view, StoppedDebuggerView), view
    frame = next(each for each in view.frames if each.id == view.frame_active_id)
    assert (frame.name, frame.line) == (name, line) and frame.source.path.endswith("debug.py"), frame
    return {variable.name: variable.value for _, variables in view.variables for variable in variables}


class Session(Debugger):
    """The client, and requests that it does not know."""

    async def ask(self, request, response_type):
        await self._send_request(request)
        response = await self._wait_for_request(request)
        assert isinstance(response, response_type) and response.success, response
        return response

    async def move(self, request, response_type):
        """A step or the like: where it stops."""
        self.active_frame_id = None
        await self.ask(request, response_type)
        await self._wait_for_event_types({"stopped", "terminated"})
        return await self._get_stopped_debugger_view()


def make_request(request_type, argument_type, command, **arguments):
    return request_type(seq=0, type="request", command=command, arguments=argument_type(**arguments))


async def run(command, kernels):
    factory = DAPClientSingletonFactory(command, ["debug", "--dap"])
    launch = types.LaunchRequestArguments(target=f"{kernels}::normalize", grid="3",
                                          arguments=["x_ptr=f32(maximum(8 - arange(12), 0))", "out_ptr=f32[12]:zeros", "n=12", "BLOCK=4"])
    session = Session(factory, launch)
    begun = await session.initialize()
    assert isinstance(begun, types.InitializeResponse) and begun.body.supportsStepBack and begun.body.supportsConditionalBreakpoints, begun
    placed = await session.set_breakpoint(pathlib.Path(kernels), 21, "pid == 1 and i == 1")
    assert isinstance(placed, types.SetBreakpointsResponse) and placed.body.breakpoints[0].verified, placed
    view = await session.launch()
    values = check_stop(view, 21)
    assert values["total"] == "float32: 10" and values["BLOCK"] == "4", values
    assert [each.name for each in view.threads] == ["program (1, 0, 0)"], view.threads
    shown = await session.evaluate("max(x) + total")
    assert isinstance(shown, types.EvaluateResponse) and shown.body.result == "14", shown
    wrong = await session.evaluate("totl")
    assert isinstance(wrong, types.ErrorResponse) and "did you mean 'total'" in wrong.message, wrong

    # Forward, into a helper and out of it.
    check_stop(await session.next(), 22)
    assert check_stop(await session.step_in(), 8, "scale")["factor"] == "2.0"
    check_stop(await session.step_out(), 22)
    # Backward, which the client has no commands for.
    thread = session.active_thread_id
    back = make_request(types.StepBackRequest, types.StepBackArguments, "stepBack", threadId=thread)
    assert "y" not in check_stop(await session.move(back, types.StepBackResponse), 22)
    reverse = make_request(types.ReverseContinueRequest, types.ReverseContinueArguments, "reverseContinue", threadId=thread)
    assert check_stop(await session.move(reverse, types.ReverseContinueResponse), 21)["total"] == "float32: 10"

    # To the statement that makes the NaN of the last program, and to the end.
    filters = make_request(types.SetExceptionBreakpointsRequest, types.SetExceptionBreakpointsArguments, "setExceptionBreakpoints", filters=["nan"])
    await session.ask(filters, types.SetExceptionBreakpointsResponse)
    view = await session.continue_execution()
    check_stop(view, 25)
    stops = [event.body for event in view.events.events if isinstance(event, types.StoppedEvent)]
    assert stops[-1].reason == "exception" and "'arith.divf' gives NaN" in stops[-1].text, stops
    ended = await session.continue_execution()
    assert not isinstance(ended, StoppedDebuggerView) and "terminated" in [event.event for event in ended.events], ended


async def main():
    await asyncio.wait_for(run(*sys.argv[1:]), 100)
    print("the session is right")


asyncio.run(main())
