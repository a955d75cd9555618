import { type Command, clusterFlags, type Flag, outputFlag } from "../command.ts";

const local: readonly Flag[] = [
  {
    name: "plugin-dir",
    value: "DIR",
    description: "look into this folder of this machine instead of asking the operator",
  },
  { name: "plugin", value: "MODULE", description: "look at this module, likewise", repeat: true },
];

export const plugin: Command = {
  name: "plugin",
  summary: "see, add and remove plugins",
  aliases: ["plugins"],
  commands: [
    {
      name: "list",
      summary: "list the plugins of the operator",
      aliases: ["get"],
      flags: [...clusterFlags, ...local, outputFlag("table", "wide", "json", "yaml", "name")],
      run: async (input, io, signal) => (await import("../plugin/run.ts")).listPlugins(input, io, signal),
    },
    {
      name: "describe",
      summary: "tell what a plugin is, what uses it, and how it tells its progress",
      args: [{ name: "NAME", description: "the plugin's name, such as velero.io/aws", required: true }],
      flags: [...clusterFlags, ...local],
      run: async (input, io, signal) => (await import("../plugin/run.ts")).describePlugin(input, io, signal),
    },
    {
      name: "add",
      summary: "add a plugin image to the operator's Deployment, or a file to a plugin folder",
      description:
        "An image of the Velero ecosystem becomes an init container that copies its programs to /plugins. A file is copied to the folder of --plugin-dir; a running operator finds it there.",
      args: [{ name: "IMAGE|FILE", description: "what to add", required: true }],
      flags: [
        ...clusterFlags,
        { name: "plugin-dir", value: "DIR", description: "the folder that a file is copied to" },
        { name: "deployment", value: "NAME", description: "the operator's Deployment", default: "headway" },
        {
          name: "image-pull-policy",
          value: "POLICY",
          description: "when the image is pulled",
          choices: ["Always", "IfNotPresent", "Never"],
          default: "IfNotPresent",
        },
      ],
      examples: [
        "headway plugin add velero/velero-plugin-for-aws:v1.14.3",
        "headway plugin add ./my-disks.ts --plugin-dir /plugins",
      ],
      run: async (input, io, signal) => (await import("../plugin/run.ts")).addPlugin(input, io, signal),
    },
    {
      name: "remove",
      summary: "take a plugin image out of the operator's Deployment, or a file out of a plugin folder",
      args: [{ name: "IMAGE|FILE", description: "what to remove", required: true }],
      flags: [
        ...clusterFlags,
        { name: "plugin-dir", value: "DIR", description: "the folder that a file is removed from" },
        { name: "deployment", value: "NAME", description: "the operator's Deployment", default: "headway" },
      ],
      examples: ["headway plugin remove velero/velero-plugin-for-aws:v1.14.3"],
      run: async (input, io, signal) => (await import("../plugin/run.ts")).removePlugin(input, io, signal),
    },
  ],
};
