import { type Command, clusterFlags, makeFlags, outputFlag } from "../command.ts";

export const storage: Command = {
  name: "storage",
  summary: "make stores known that migrations go through",
  aliases: ["storages"],
  commands: [
    {
      name: "create",
      summary: "make a store known",
      args: [{ name: "NAME", description: "what to call it", required: true }],
      flags: [
        ...clusterFlags,
        {
          name: "provider",
          value: "NAME",
          description: "what kind of store it is",
          choices: ["aws", "azure", "gcp", "filesystem"],
          required: true,
        },
        { name: "bucket", value: "NAME", description: "the bucket or container" },
        {
          name: "credentials-file",
          value: "FILE",
          description: "credentials, as the backup servers read them",
        },
        { name: "region", value: "NAME", description: "region of the bucket" },
        { name: "s3-url", value: "URL", description: "address of an S3 server that is not Amazon's" },
        { name: "ca-file", value: "FILE", description: "certificates to trust" },
        { name: "insecure", description: "do not check the store's certificate" },
        { name: "azure-account", value: "NAME", description: "storage account" },
        { name: "azure-group", value: "NAME", description: "resource group" },
        { name: "path", value: "DIR", description: "folder that both clusters see, for provider filesystem" },
        ...makeFlags,
      ],
      examples: [
        "headway storage create shared --provider aws --bucket migrations --region eu-west-1 --credentials-file aws.ini",
        "headway storage create shared --provider filesystem --path /mnt/shared",
      ],
      async run(input, io, signal) {
        const { createStorage } = await import("../storage/run.ts");
        await createStorage(input, io, signal);
      },
    },
    {
      name: "get",
      summary: "list stores",
      args: [{ name: "NAME", description: "names of stores (default: all)", repeat: true }],
      flags: [...clusterFlags, outputFlag("table", "wide", "json", "yaml", "name")],
      async run(input, io, signal) {
        const { getStorages } = await import("../storage/run.ts");
        await getStorages(input, io, signal);
      },
    },
  ],
};
