// Goroutines whose stacks the runtime replaces by larger stacks while calls are pending.
// SPDX-License-Identifier: GPL-2.0-or-later
//
// Goroutine k of 1 to 8 calls descend(100 k) ten times. descend(n) makes n + 1 calls, so there are 36080
// calls of descend. The largest call of work makes 8010 calls of descend, each of at least 4 blocks. A
// stack has 2 kB at first, and a frame of descend has 150 bytes or more, so each stack is moved.
package main

import "sync"

//go:noinline
func descend(n int) int {
	var frame [16]int
	frame[n%16] = n
	if n == 0 {
		return 0
	}
	return descend(n-1) + frame[n%16]
}

//go:noinline
func work(k int) int {
	sum := 0
	for i := 0; i < 10; i++ {
		sum += descend(k * 100)
	}
	return sum
}

func main() {
	var done sync.WaitGroup
	sums := make([]int, 8)
	for k := range sums {
		done.Add(1)
		go func(k int) {
			defer done.Done()
			sums[k] = work(k + 1)
		}(k)
	}
	done.Wait()
}
