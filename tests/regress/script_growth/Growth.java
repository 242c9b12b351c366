// The functions of growth.py, in Java.
// SPDX-License-Identifier: GPL-2.0-or-later
import java.util.HashMap;

public class Growth {
    static int insert(int[] book, int n, int price) {
        int at = 0;
        while (at < n && book[at] < price)
            at++;
        for (int k = n; k > at; k--)
            book[k] = book[k - 1];
        book[at] = price;
        return n + 1;
    }

    static int pairs(int[] prices, int n) {
        int before = 0;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                if (prices[i] < prices[j])
                    before++;
        return before;
    }

    static int lookup(HashMap<Integer, Integer> index, Integer price) {
        return index.get(price);
    }

    static int memo(int[] table, int n) {
        int total = 0;
        for (int i = 0; i < n; i++)
            for (int j = i; j > 0; j &= j - 1)
                total ^= table[j];
        return total;
    }

    public static void main(String[] arguments) {
        int size = Integer.parseInt(arguments[0]), inserted = 0, sum = 0;
        int[] book = new int[size], table = new int[10 * size];
        HashMap<Integer, Integer> index = new HashMap<>();
        for (int i = 0; i < size; i++) {
            inserted = insert(book, inserted, i);
            index.put(i, i);
        }
        for (int i = 0; i < size; i++)
            sum += lookup(index, i);
        for (int i = 0; i < table.length; i++)
            table[i] = i;
        for (int i = 1; i <= 40; i++)
            sum += pairs(book, size * i / 40);
        for (int i = 1; i <= 40; i++)
            sum += memo(table, 10 * size * i / 40);
        System.out.println(sum == 0 ? 0 : inserted);
    }
}
