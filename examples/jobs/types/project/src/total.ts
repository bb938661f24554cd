export interface Line {
  price?: number;
  pieces: number;
}

export const total = (lines: Line[]): number => lines.reduce((all, { price, pieces }) => all + price * pieces, 0);

export const first = (lines: Line[]): number => lines[0].pieces;
