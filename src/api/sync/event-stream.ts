import { LiveBody } from '#http/live-body.js';

/** The body of a stream. Not more than one step waits in it until the client reads. */
export class EventStream extends LiveBody {
  /** Sends a comment, so that proxies keep the connection, unless there is something to read. */
  beat(): void {
    if (this.isRead) this.write(': keep-alive\n\n');
  }

  /** Tells the client to begin anew, and ends. The empty id makes an EventSource forget its last one. */
  reset(): void {
    this.write('event: reset\nid:\ndata: {}\n\n');
    this.end();
  }
}
