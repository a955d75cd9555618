import { type Command, clusterFlags, outputFlag } from "../command.ts";

export const notify: Command = {
  name: "notify",
  summary: "test and list the receivers of notifications",
  description:
    "Receivers are named in the ConfigMap headway-notifications of the operator's namespace; docs/190-notifications.md describes it. The operator tells them, and nobody else.",
  commands: [
    {
      name: "test",
      summary: "let the operator send a test to receivers",
      description:
        "The operator sends it, on the way and with the secrets that events have, whatever the filters say. It answers within half a minute.",
      args: [{ name: "NAME", description: "the receiver (default: all of them)" }],
      flags: [
        ...clusterFlags,
        {
          name: "timeout",
          value: "DURATION",
          description: "how long to wait for the operator",
          default: "1m",
        },
      ],
      exits: { 1: "a receiver could not be told, or no operator answered" },
      examples: ["headway notify test", "headway notify test chat"],
      async run(input, io, signal) {
        const { testNotifications } = await import("../notify/run.ts");
        return testNotifications(input, io, signal);
      },
    },
    {
      name: "get",
      summary: "list receivers and how it goes with them",
      flags: [...clusterFlags, outputFlag("table", "json")],
      async run(input, io, signal) {
        const { getNotifications } = await import("../notify/run.ts");
        await getNotifications(input, io, signal);
      },
    },
  ],
};
