import sharp from 'sharp';

/** Draws noise, which does not compress, in the given size and format. */
export async function drawNoise(
  width: number,
  height: number,
  format: 'png' | 'jpeg' | 'webp' | 'avif' | 'gif' | 'tiff' = 'png',
) {
  const noise = { type: 'gaussian', mean: 128, sigma: 30 } as const;
  return sharp({ create: { width, height, channels: 3, background: '#808080', noise } })
    .toFormat(format, format === 'avif' || format === 'gif' ? { effort: 1 } : {})
    .toBuffer();
}

/** Draws a photo with an EXIF rotation and a location. */
export async function drawTurned(width: number, height: number): Promise<Buffer> {
  return sharp({ create: { width, height, channels: 3, background: '#207050' } })
    .withExif({ IFD0: { Artist: 'Ines' }, IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 30/1 0/1' } })
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer();
}
