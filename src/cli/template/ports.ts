import { generateKeyPairSync } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Ports } from "../../../packages/template/index.ts";
import { nodePorts } from "../../../packages/template/on-node.ts";

const zoneFolders = ["/usr/share/zoneinfo", "/usr/lib/zoneinfo", "/usr/share/lib/zoneinfo", "/etc/zoneinfo"];

/**
 * What templates may see of this machine: the clock, randomness and the tz database, but neither the environment nor the network.
 * Without a tz database the zones of the JavaScript engine are used.
 */
export function templatePorts(): Ports {
  const base: Ports = { ...nodePorts, privateKey };
  const folder = zoneFolders.find((path) => read(join(path, "UTC")) !== undefined);
  return folder === undefined ? base : { ...base, zoneFile: (name) => read(join(folder, name)) };
}

function read(path: string): Uint8Array | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined; // no such zone, or a folder of zones
  }
}

/** sprig's genPrivateKey with the types that Kanister allows. */
function privateKey(type: string): string {
  if (type === "ecdsa") {
    const pair = generateKeyPairSync("ec", { namedCurve: "P-256" });
    return pair.privateKey.export({ type: "sec1", format: "pem" }).toString();
  }
  if (type !== "" && type !== "rsa") throw new Error(`a private key of type "${type}" is not allowed`);
  const pair = generateKeyPairSync("rsa", { modulusLength: 4096 });
  return pair.privateKey.export({ type: "pkcs1", format: "pem" }).toString();
}
