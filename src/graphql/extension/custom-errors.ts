import { ApiError } from '../../errors.js';
import type { Values } from '../../values.js';

/** A policy refused: `new PolicyError('Only its author may', { policy: 'is-author' })`. */
export class PolicyError extends ApiError {
  constructor(message = 'Policy Failed', details: Values = {}) {
    super(403, 'PolicyError', message, details);
  }
}

/** The caller may not do this. */
export class ForbiddenError extends ApiError {
  constructor(message = 'Forbidden access', details: Values = {}) {
    super(403, 'ForbiddenError', message, details);
  }
}

/** The caller is nobody, or not who they say. */
export class UnauthorizedError extends ApiError {
  constructor(message = 'Unauthorized', details: Values = {}) {
    super(401, 'UnauthorizedError', message, details);
  }
}

/** The request cannot be carried out. */
export class ApplicationError extends ApiError {
  constructor(message = 'An application error occurred', details: Values = {}) {
    super(400, 'ApplicationError', message, details);
  }
}

/** The input is invalid. */
export class ValidationError extends ApiError {
  constructor(message: string, details: Values = {}) {
    super(400, 'ValidationError', message, details);
  }
}

export class NotFoundError extends ApiError {
  constructor(message = 'Entity not found', details: Values = {}) {
    super(404, 'NotFoundError', message, details);
  }
}
