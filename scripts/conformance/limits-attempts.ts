import { readFileSync } from 'node:fs';
import path from 'node:path';

/** Whether the limiter of logins belongs on: RATE_LIMIT=1, or recordings that were made of it. */
export function limitsAttempts(golden: string | undefined): boolean {
  if (process.env.RATE_LIMIT !== undefined) return process.env.RATE_LIMIT === '1';
  if (golden === undefined) return false;
  // The recorder's own file: what it recorded, by area.
  const meta = JSON.parse(readFileSync(path.join(golden, 'meta.json'), 'utf8')) as { readonly areas?: object };
  return 'ratelimit' in (meta.areas ?? {});
}
