/** What a process has used. */
export interface Usage {
  readonly kind: 'usage';
  /** CPU in microseconds since the process started. */
  readonly cpu: number;
  /** Bytes. */
  readonly memory: number;
  /** The longest pause of its event loop since the last report, in milliseconds; 0 if nobody looks. */
  readonly pause: number;
}

/** The report of a measured process to its parent. */
export type Report = { readonly kind: 'ready'; readonly url: string } | Usage;

/**
 * Sends the address of the process, then answers every message with its usage. `takePause` returns the longest pause since it was
 * called last. Ends with its parent.
 */
export function reportToParent(url: string, takePause: () => number = () => 0): void {
  const send = (report: Report): void => {
    process.send?.(report);
  };
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    send({ kind: 'usage', cpu: user + system, memory: process.memoryUsage.rss(), pause: takePause() });
  });
  process.on('disconnect', () => process.exit());
  send({ kind: 'ready', url });
}
