/** The report of a measured process to its parent. CPU in microseconds since its start, memory in bytes. */
export type Report =
  { readonly kind: 'ready'; readonly url: string } | { readonly kind: 'usage'; readonly cpu: number; readonly memory: number };

/** Sends the address of the process, then answers every message with its usage. Ends with its parent. */
export function reportToParent(url: string): void {
  const send = (report: Report): void => {
    process.send?.(report);
  };
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    send({ kind: 'usage', cpu: user + system, memory: process.memoryUsage.rss() });
  });
  process.on('disconnect', () => process.exit());
  send({ kind: 'ready', url });
}
