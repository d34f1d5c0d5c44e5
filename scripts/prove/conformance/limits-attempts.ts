import { readdirSync } from 'node:fs';

/** Whether the limiter of logins belongs on: RATE_LIMIT=1, or recordings that were made of it. */
export function limitsAttempts(golden: string | undefined): boolean {
  if (process.env.RATE_LIMIT !== undefined) return process.env.RATE_LIMIT === '1';
  if (golden === undefined) return false;
  return readdirSync(golden).some((file) => /^(admin-)?rate-?limit\.json$/.test(file));
}
