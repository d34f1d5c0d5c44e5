import type { Context, Middleware } from 'koa';

/** Whether something the service needs is there; a check that throws, or takes over two seconds, has failed. */
export type Check = () => Promise<boolean>;

/**
 * `/_health`, any method: 204, the process is up. `/_health/ready`: 200 if every check passes, else 503, with the result of each by
 * name: `{ "status": "ok", "checks": { "database": "ok" } }`.
 */
export function health(checks: Readonly<Record<string, Check>>): Middleware {
  const names = Object.keys(checks);
  const result = async (name: string): Promise<Result> => [name, await passes(checks[name])];
  return async (ctx, next) => {
    if (ctx.path === '/_health') ctx.status = 204;
    else if (ctx.path === '/_health/ready') answer(ctx, await Promise.all(names.map(result)));
    else await next();
  };
}

type Result = readonly [name: string, passed: boolean];

function answer(ctx: Context, results: readonly Result[]): void {
  const ready = results.every(([, passed]) => passed);
  const word = (passed: boolean): string => (passed ? 'ok' : 'failed');
  ctx.status = ready ? 200 : 503;
  ctx.set('Cache-Control', 'no-store');
  ctx.body = { status: word(ready), checks: Object.fromEntries(results.map(([name, passed]) => [name, word(passed)])) };
}

async function passes(check: Check | undefined): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, 2_000, false);
  });
  try {
    return await Promise.race([check?.() ?? false, late]);
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}
