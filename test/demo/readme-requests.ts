import { readFile } from 'node:fs/promises';

export interface ReadmeRequest {
  /** Path and query. */
  readonly path: string;
  readonly options: RequestInit;
}

/** What the curl commands of the README's section on requests send. */
export async function readmeRequests(): Promise<ReadmeRequest[]> {
  const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
  const section = readme.split('\n### Requests\n')[1]?.split('\n## ')[0] ?? '';
  return [...section.replaceAll('\\\n', '').matchAll(/^ {4}curl .*$/gm)].map(([line]) => parseCurl(line));
}

/** What one curl command sends. */
export function parseCurl(line: string): ReadmeRequest {
  const [, path = ''] = /localhost:1337([^' ]*)/.exec(line) ?? [];
  const [, body] = / -d '([^']*)'/.exec(line) ?? [];
  if (body === undefined) return { path, options: {} };
  const [, method = 'POST'] = / -X (\w+)/.exec(line) ?? [];
  return { path, options: { method, body, headers: { 'content-type': 'application/json' } } };
}
