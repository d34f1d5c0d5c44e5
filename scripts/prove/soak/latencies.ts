/** The times of requests since they were taken last. */
export class Latencies {
  #times: number[] = [];

  /** Adds the milliseconds of a request. */
  add(time: number): void {
    this.#times.push(time);
  }

  /** Returns the number of requests, and the milliseconds within which 99 of 100 were answered. Begins anew. */
  take(): { readonly requests: number; readonly p99: number } {
    const times = this.#times.sort((one, other) => one - other);
    this.#times = [];
    return { requests: times.length, p99: times[Math.floor(times.length * 0.99)] ?? 0 };
  }
}
