import { expect, test } from "vitest";
import { connectionsOf, ProcessCounters } from "./process-counters.ts";

test("connectionsOf() finds what each connection of a process has carried", () => {
  const text = [
    'ESTAB 0 0 127.0.0.1:50 127.0.0.1:9000 users:(("restic",pid=7,fd=3)) cubic bytes_sent:1200 bytes_received:34 x',
    'ESTAB 0 0 127.0.0.1:51 127.0.0.1:9000 users:(("other",pid=71,fd=3)) cubic bytes_sent:5 bytes_received:5',
    'ESTAB 0 0 127.0.0.1:52 127.0.0.1:9000 users:(("restic",pid=7,fd=4)) cubic segs_out:1',
  ].join("\n");
  expect(connectionsOf(text, 7)).toEqual([
    ["127.0.0.1:50 127.0.0.1:9000", [1200, 34]],
    ["127.0.0.1:52 127.0.0.1:9000", [0, 0]],
  ]);
});

test.runIf(process.platform === "linux")("ProcessCounters reads what a process has moved", async () => {
  const { io } = await new ProcessCounters(process.pid, { sockets: false }).read();
  expect(io?.read).toBeGreaterThan(0);
  expect(await new ProcessCounters(2 ** 22, { sockets: false }).read()).toEqual({});
});
