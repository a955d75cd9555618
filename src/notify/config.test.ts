import { expect, test } from "vitest";
import { parseConfig } from "./config.ts";

test("parseConfig() takes every type with its defaults", () => {
  const { cluster, sinks, faults } = parseConfig(`
cluster: prod
sinks:
- {name: bus, type: cloudevents, url: "https://bus.example/in", mode: binary, events: [failed], kinds: [Backup], namespaces: [shop-*], outcomes: [failed]}
- {name: hook, type: webhook, urlFrom: {name: hooks, key: url}, headers: {X-Team: ops}, headersFrom: [{header: X-Key, name: hooks, key: key}]}
- {name: chat, type: slack, tokenFrom: {name: slack, key: token}, channel: C1, every: 30s}
- {name: cards, type: teams, urlFrom: {name: teams, key: url}, perMinute: 10}
- {name: alerts, type: alertmanager, url: "http://alertmanager:9093", caFrom: {name: tls, key: ca.crt}}
- {name: traces, type: otlp, url: "http://collector:4318"}
`);
  expect(faults).toEqual([]);
  expect(cluster).toBe("prod");
  expect(sinks).toMatchObject([
    { name: "bus", mode: "binary", filter: { events: ["failed"], kinds: ["Backup"] }, perMinute: 60 },
    {
      name: "hook",
      url: { name: "hooks", key: "url" },
      headers: { "X-Team": "ops", "X-Key": { name: "hooks", key: "key", prefix: "" } },
    },
    {
      url: "https://slack.com/api",
      channel: "C1",
      everyMs: 30_000,
      headers: { Authorization: { name: "slack", key: "token", prefix: "Bearer " } },
    },
    { name: "cards", perMinute: 10 },
    { name: "alerts", ca: { name: "tls", key: "ca.crt" }, everyMs: 60_000 },
    { name: "traces", type: "otlp" },
  ]);
});

test.each([
  ["nothing", "", []],
  ["no YAML", "{", ["no YAML"]],
  ["a list", "[]", ["no map"]],
  ["an alias bomb", "a: &a [1]\nb: *a", ["no YAML"]],
  ["unknown words", "sink: []", ['"sink" is unknown']],
  ["no list", "sinks: 1", ["no list"]],
  ["a type", "sinks: [{name: a, type: pager, url: 'http://x'}]", ['sink "a": its type must be one of']],
  ["no name", "sinks: [{type: webhook, url: 'http://x'}]", ["sinks[0]: it needs a name"]],
  ["no address", "sinks: [{name: a, type: webhook}]", ["url or urlFrom"]],
  [
    "two addresses",
    "sinks: [{name: a, type: webhook, url: 'http://x', urlFrom: {name: a, key: b}}]",
    ["either"],
  ],
  ["another protocol", "sinks: [{name: a, type: webhook, url: 'file:///etc'}]", ["http or https"]],
  ["a password", "sinks: [{name: a, type: webhook, url: 'https://me:secret@x'}]", ["holds a password"]],
  [
    "a key",
    "sinks: [{name: a, type: webhook, url: 'http://x', headers: {Authorization: s}}]",
    ["into a Secret"],
  ],
  ["a line break", 'sinks: [{name: a, type: webhook, url: "http://x", headers: {X: "a\\nb"}}]', ["one line"]],
  ["an event", "sinks: [{name: a, type: webhook, url: 'http://x', events: [done]}]", ['events has "done"']],
  ["a pace", "sinks: [{name: a, type: webhook, url: 'http://x', perMinute: 0}]", ["perMinute"]],
  [
    "another's field",
    "sinks: [{name: a, type: webhook, url: 'http://x', channel: c}]",
    ['"channel" is unknown'],
  ],
  ["no channel", "sinks: [{name: a, type: slack, tokenFrom: {name: a, key: b}}]", ["needs a channel"]],
])("parseConfig() tells what is wrong: %s", (_name, text, want) => {
  const { sinks, faults } = parseConfig(text);
  expect(sinks).toEqual([]);
  expect(faults).toHaveLength(want.length);
  want.forEach((words, i) => expect(faults[i]).toContain(words));
});

test("a receiver with a fault does not take the others with it, and no name is used twice", () => {
  const { sinks, faults } = parseConfig(`
sinks:
- {name: a, type: webhook, url: "http://x"}
- {name: a, type: webhook, url: "http://y"}
- {name: b, type: webhook}
`);
  expect(sinks.map(({ url }) => url)).toEqual(["http://x"]);
  expect(faults).toHaveLength(2);
});

test("a fault never repeats a value that may be a secret", () => {
  const { faults } = parseConfig(
    "sinks: [{name: a, type: webhook, url: 'https://me:hunter22@x', headers: {Authorization: hunter33}}]",
  );
  expect(faults.join(" ")).not.toMatch(/hunter/);
});
