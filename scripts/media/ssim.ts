/** The size of raw pixels of three channels. */
interface RawSize {
  readonly width: number;
  readonly height: number;
}

/** Side of the windows that are compared, in pixels, and the distance between two of them. */
const [side, step] = [8, 4];
const [c1, c2] = [(0.01 * 255) ** 2, (0.03 * 255) ** 2];

/** Returns the mean structural similarity (SSIM) of the brightness of two pictures of raw pixels, 1 for equal ones. */
export function meanSsim(one: Uint8Array, other: Uint8Array, size: RawSize): number {
  const [a, b] = [brightness(one), brightness(other)];
  let [sum, count] = [0, 0];
  for (let top = 0; top + side <= size.height; top += step)
    for (let left = 0; left + side <= size.width; left += step) {
      sum += windowSsim(a, b, { start: top * size.width + left, stride: size.width });
      count += 1;
    }
  return sum / count;
}

const brightness = (pixels: Uint8Array): Float64Array =>
  Float64Array.from({ length: pixels.length / 3 }, (_, index) => {
    const [red = 0, green = 0, blue = 0] = pixels.subarray(index * 3, index * 3 + 3);
    return 0.299 * red + 0.587 * green + 0.114 * blue;
  });

function windowSsim(
  a: Float64Array,
  b: Float64Array,
  { start, stride }: { readonly start: number; readonly stride: number },
): number {
  let [sumA, sumB, squareA, squareB, product] = [0, 0, 0, 0, 0];
  for (let row = 0; row < side; row += 1)
    for (let index = start + row * stride, end = index + side; index < end; index += 1) {
      const [x, y] = [a[index] ?? 0, b[index] ?? 0];
      sumA += x;
      sumB += y;
      squareA += x * x;
      squareB += y * y;
      product += x * y;
    }
  const count = side * side;
  const [meanA, meanB] = [sumA / count, sumB / count];
  const variances = squareA / count - meanA ** 2 + (squareB / count - meanB ** 2);
  const covariance = product / count - meanA * meanB;
  return ((2 * meanA * meanB + c1) * (2 * covariance + c2)) / ((meanA ** 2 + meanB ** 2 + c1) * (variances + c2));
}
