/** What kubectl said, without what two clusters cannot have in common: names made up, times, addresses, versions, columns' widths. */
export function normal(text: string, names: { readonly namespace: string; readonly node: string }): string {
  return (
    text
      // No image is pulled by the embedded cluster; the real one of the tests has no DNS and says so.
      .replaceAll(/^ +\w+ +(?:Pulled|MissingClusterDNS) .*\n/gm, "")
      // A busy node may have to try twice, and controllers that the embedded cluster has no need of speak up when they find work.
      .replaceAll(/^ +Warning +FailedMount .*failed to sync \w+ cache: timed out.*\n/gm, "")
      .replaceAll(/^ +\w+ +\w+ +\S+(?: \(x\d+ over \S+\))? +\w+-repair-controller .*\n/gm, "")
      // kubectl itself: it lists a secret's keys in a map's order, and may lose a race with its own streams and say so.
      .replaceAll(/(?<=^Data\n====\n)(?:\S+: +\d+ bytes\n)+/gm, (keys) =>
        keys
          .split(/(?<=\n)/)
          .sort()
          .join(""),
      )
      .replaceAll(/^E\d{4} .*websocket\.go:\d+\] Unknown stream id \d+, discarding message\n/gm, "")
      .replaceAll(/^Events:\n +Type .*\n +---- .*\n(?! )/gm, "Events:  <none>\n")
      .replaceAll(names.namespace, "NAMESPACE")
      .replaceAll(new RegExp(`(nodeName: |Node: +|to )${names.node}\\b`, "g"), "$1NODE")
      .replaceAll(/\b(web)-[0-9a-z]{6,10}-[0-9a-z]{5}\b/g, "$1-HASH-ID")
      .replaceAll(/\b(web)-[0-9a-z]{6,10}\b/g, "$1-HASH")
      .replaceAll(/\b(counts|fails)-[0-9a-z]{5}\b/g, "$1-ID")
      .replaceAll(/pod-template-hash([:=] ?)"?[0-9a-z]+"?/g, "pod-template-hash$1HASH")
      .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "UID")
      .replaceAll(/kube-api-access-[0-9a-z]{5}/g, "kube-api-access-ID")
      .replaceAll(/(containerID|Container ID|imageID|Image ID): +\S+/g, "$1: ID")
      .replaceAll(/"?\d{4}-\d\d-\d\d[T ][\d:.]+(?:Z| \+0000)"?/g, "TIME")
      .replaceAll(/\w{3}, \d\d \w{3} \d{4} [\d:]{8} \+0000/g, "TIME")
      .replaceAll(/(LIVE|MERGED)-\d+/g, "$1-ID")
      .replaceAll(/(resourceVersion: )"\d+"|(Resource Version: +)\d+/g, "$1$2VERSION")
      .replaceAll(/\b(?:10|127|192)\.\d+\.\d+\.\d+\b/g, "ADDRESS")
      .replaceAll(/\b\d+[smh](?:\d+[smh])?\b/g, "AGE")
      .replaceAll(/(?<=\S) {2,}/g, "  ")
      // How often a pod has crashed by now is a matter of when one asks.
      .replaceAll(/(?<=CrashLoopBackOff {2})\d+(?= \(AGE ago\))/g, "N")
  );
}
