/** One server-sent event. */
export interface StreamEvent {
  readonly event: string;
  readonly data: string;
  readonly id?: string;
}

/**
 * Cuts text that arrives in any pieces into server-sent events. Fetch is used instead of EventSource, so that the token
 * travels in a header and never in an address.
 */
export class EventReader {
  #rest = "";

  /** The events that are complete with this piece. An event with an id only tells how far the stream is known. */
  take(piece: string): StreamEvent[] {
    const blocks = (this.#rest + piece).split("\n\n");
    this.#rest = blocks.pop() ?? "";
    return blocks.map(readBlock).filter((event) => event !== undefined);
  }
}

function readBlock(block: string): StreamEvent | undefined {
  let event = "message";
  let data = "";
  let id: string | undefined;
  for (const line of block.split("\n")) {
    const at = line.indexOf(":");
    const [field, value] = at < 0 ? [line, ""] : [line.slice(0, at), line.slice(at + 1).trimStart()];
    if (field === "event") event = value;
    else if (field === "data") data += value;
    else if (field === "id") id = value;
  }
  return data === "" && id === undefined ? undefined : { event, data, ...(id !== undefined && { id }) };
}
