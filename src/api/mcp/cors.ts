import type { PathSettings } from '#http/route.js';
import type { Config } from '#settings/config.js';

/** Headers that clients in browsers send with each message, and when they look for the metadata of OAuth. */
const messageHeaders = ['MCP-Protocol-Version', 'Mcp-Method', 'Mcp-Name'];

/** Returns the CORS of what clients send requests to: that of all paths, and the headers of the protocol. */
export const corsOf = ({ middlewares: { cors } }: Config): PathSettings =>
  cors.enabled ? { cors: { ...cors, headers: [...cors.headers, ...messageHeaders] } } : {};
