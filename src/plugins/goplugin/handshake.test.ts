import { expect, test } from "vitest";
import { readHandshake } from "./handshake.ts";

test.each([
  ["1|2|unix|/tmp/plugin1|grpc|", "/tmp/plugin1"],
  ["1|2|unix|/tmp/plugin1|grpc", "/tmp/plugin1"],
  ["1|2|tcp|127.0.0.1:10000|grpc|", { host: "127.0.0.1", port: 10000 }],
])("readHandshake() %s", (line, want) => {
  expect(readHandshake(line, "p")).toEqual(want);
});

test.each([
  ["hello world", "does not begin with a handshake"],
  ["", "does not begin with a handshake"],
  ["1|3|unix|/x|grpc|", "speaks version 3 of the plugin protocol, 2 is wanted"],
  ["1|2|unix|/x|netrpc|", "does not speak gRPC"],
  ["1|2|tcp|10.0.0.1:80|grpc|", "listens somewhere that is not on this machine"],
  ["1|2|unix|relative|grpc|", "listens somewhere that is not on this machine"],
])("readHandshake() refuses %s", (line, why) => {
  const attempt = () => readHandshake(line, "/plugins/p");
  expect(attempt).toThrow(`plugin program "/plugins/p" ${why}`);
  expect(attempt).toThrow(expect.objectContaining({ code: "PLUGIN_PROTOCOL" }));
});
