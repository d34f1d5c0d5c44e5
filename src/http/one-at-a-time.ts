import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The number of waiting requests of a connection, and the answer to the last one. */
interface Line {
  last: ServerResponse;
  waiting: number;
}

/** Maximum number of waiting requests per connection. */
const mostWaiting = 100;

/**
 * Handles the requests of a connection one after the other. A client may send further requests before it gets an answer
 * (pipelining), and Node would handle all of them concurrently. One connection could then take the places of thousands, and their
 * answers would wait in memory until the first one is read. Closes a connection with more than 100 waiting requests.
 */
export function oneAtATime(handle: RequestListener): RequestListener {
  const lines = new WeakMap<Socket, Line>();
  return (request, response) => {
    const { socket } = request;
    const line = lines.get(socket);
    if (line === undefined) {
      lines.set(socket, { last: response, waiting: 0 });
      handle(request, response);
      return;
    }
    const before = line.last;
    line.last = response;
    if (before.closed) handle(request, response);
    else waitInLine(line, before, () => void (socket.destroyed || handle(request, response)), request);
  };
}

/** Calls a function after an earlier answer was sent. Closes the connection if too many requests wait. */
function waitInLine(line: Line, before: ServerResponse, begin: () => void, { socket }: IncomingMessage): void {
  line.waiting += 1;
  if (line.waiting > mostWaiting) socket.destroy();
  before.once('close', () => {
    line.waiting -= 1;
    begin();
  });
}
