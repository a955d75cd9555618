import { expect, test } from "vitest";
import { EventReader } from "./sse.ts";

const text =
  'retry: 1000\nevent: reset\ndata: {}\n\nevent: operation\ndata: {"id":"a"}\n\n: ping\n\nevent: gone\ndata: {"id":"b"}\n\nid: x-7\n\n';

test("EventReader gives the same events however the text is cut", () => {
  const whole = new EventReader().take(text);
  expect(whole).toEqual([
    { event: "reset", data: "{}" },
    { event: "operation", data: '{"id":"a"}' },
    { event: "gone", data: '{"id":"b"}' },
    { event: "message", data: "", id: "x-7" },
  ]);
  for (const size of [1, 2, 3, 7, 50]) {
    const reader = new EventReader();
    const events = [];
    for (let at = 0; at < text.length; at += size) events.push(...reader.take(text.slice(at, at + size)));
    expect(events).toEqual(whole);
  }
});

test("EventReader holds back an event that is not complete", () => {
  const reader = new EventReader();
  expect(reader.take("event: operation\ndata: {}")).toEqual([]);
  expect(reader.take("\n\n")).toEqual([{ event: "operation", data: "{}" }]);
});
