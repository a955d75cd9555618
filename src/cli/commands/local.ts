import { type Command, given, outputFlag, text } from "../command.ts";

const state = {
  name: "state",
  value: "DIR",
  description: "folder of the cluster (default: $XDG_STATE_HOME/headway or ~/.local/state/headway)",
} as const;

/** `headway local`: the embedded cluster. */
export const local: Command = {
  name: "local",
  summary: "the embedded cluster: enough Kubernetes for a laptop",
  commands: [
    {
      name: "up",
      summary: "start it, or find it running",
      description:
        "Starts the embedded cluster in the background and returns when its API is ready. It is for trying and testing, never for production.",
      flags: [
        state,
        {
          name: "clusters",
          value: "N",
          description: "how many: 1, or 2 (contexts blue and green)",
          choices: ["1", "2"],
          default: "1",
        },
        {
          name: "with-operator",
          description:
            "with Headway on it: kinds, operator, agent and a location in a folder, ready for a first backup",
        },
        { name: "foreground", description: "stay; end with an interrupt" },
        outputFlag("json", "yaml"),
      ],
      examples: [
        "headway local up --with-operator",
        "export KUBECONFIG=$(headway local up -o json | jq -r .kubeconfig)",
      ],
      graceMs: 30_000,
      async run(input, io, signal) {
        const { up } = await import("../local/up.ts");
        const format = text(input, "output");
        const clusters = text(input, "clusters") === "2" ? 2 : 1;
        const folder = text(input, "state");
        return up(
          {
            clusters,
            foreground: given(input, "foreground"),
            withOperator: given(input, "with-operator"),
            ...(folder && { folder }),
            ...(format && { format }),
          },
          io,
          signal,
        );
      },
    },
    {
      name: "status",
      summary: "what runs",
      flags: [state, outputFlag("json", "yaml")],
      exits: { 1: "it is not running" },
      async run(input, io) {
        const { status } = await import("../local/status.ts");
        const format = text(input, "output");
        const folder = text(input, "state");
        return status({ ...(folder && { folder }), ...(format && { format }) }, io);
      },
    },
    {
      name: "down",
      summary: "end it and everything it started",
      flags: [state, { name: "purge", description: "forget its state, too" }],
      async run(input, io) {
        const { down } = await import("../local/down.ts");
        const folder = text(input, "state");
        return down({ purge: given(input, "purge"), ...(folder && { folder }) }, io);
      },
    },
  ],
};
