import { AppError } from "../../errors.ts";

/** Where a plugin program listens. */
export type Address = string | { readonly host: string; readonly port: number };

/** Reads the first line of a plugin program: `1|2|unix|/path|grpc|`. */
export function readHandshake(line: string, program: string): Address {
  const [core, app, network, address = "", protocol] = line.trim().split("|");
  const refuse = (why: string) =>
    new AppError(
      "PLUGIN_PROTOCOL",
      `plugin program "${program}" ${why}; it printed ${JSON.stringify(line.slice(0, 200))}`,
      {
        retry: false,
      },
    );
  if (core !== "1" || app === undefined) throw refuse("does not begin with a handshake");
  if (app !== "2") throw refuse(`speaks version ${app.slice(0, 10)} of the plugin protocol, 2 is wanted`);
  if (protocol !== "grpc") throw refuse("does not speak gRPC");
  if (network === "unix" && address.startsWith("/")) return address;
  const [, host, port] = /^(127\.0\.0\.1|localhost|\[::1\]):(\d{1,5})$/.exec(address) ?? [];
  if (network === "tcp" && host && port) return { host: host.replaceAll(/[[\]]/g, ""), port: Number(port) };
  throw refuse("listens somewhere that is not on this machine");
}
