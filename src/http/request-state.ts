/** What every request carries from the first middleware on, in `ctx.state`. */
export interface RequestState {
  /** Names the request in logs and in the X-Request-Id header. */
  requestId: string;
}
