import {
  type Form,
  factsOf,
  idOf,
  type OpenSink,
  type Outgoing,
  present,
  type Telling,
  timeOf,
} from "../telling.ts";

/** CloudEvents 1.0 over HTTP: in structured mode all is in the body, in binary mode the attributes are headers. */
export const cloudEvent: Form = {
  compose(telling: Telling, { url, headers, mode }: OpenSink): Outgoing {
    const attributes = attributesOf(telling);
    const data = factsOf(telling);
    if (mode === "structured") {
      return {
        url,
        headers: { ...headers, "content-type": "application/cloudevents+json; charset=utf-8" },
        body: JSON.stringify({ ...attributes, datacontenttype: "application/json", data }),
      };
    }
    const ce = Object.entries(attributes).map(([key, value]) => [`ce-${key}`, headerText(String(value))]);
    return {
      url,
      headers: { ...headers, ...Object.fromEntries(ce), "content-type": "application/json" },
      body: JSON.stringify(data),
    };
  },
};

/** The context attributes. The source is the operator: with the id it names an event once in the world of one receiver. */
function attributesOf(telling: Telling): Readonly<Record<string, unknown>> {
  const { event, operation, cluster, namespace, atMs } = telling;
  const { ref } = operation;
  return present({
    specversion: "1.0",
    id: idOf(telling),
    source: `/headway/${cluster === undefined ? "" : `${encodeURIComponent(cluster)}/`}${namespace}`,
    type: `dev.headway.operation.${event}`,
    subject: [ref.kind, ref.namespace, ref.name].filter(Boolean).join("/"),
    time: timeOf(atMs),
  });
}

/** Header values of the HTTP binding: what is not printable ASCII, and quotes and percents, as percents of UTF-8. */
function headerText(value: string): string {
  return value.replace(/[^\x21\x23\x24\x26-\x7e]+/g, (part) =>
    [...Buffer.from(part)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join(""),
  );
}
