// Goroutines on several processors, which the runtime preempts and moves from thread to thread.
// SPDX-License-Identifier: GPL-2.0-or-later
//
// Four goroutines insert 1000 numbers each, at the end of a list: insert is called 4000 times. It reads at
// most 1000 numbers of 2 cells, and takes two or three blocks for each.
package main

import "sync"

const workers, numbers = 4, 1000

//go:noinline
func insert(list []int, number int) []int {
	at := 0
	for at < len(list) && list[at] < number {
		at++
	}
	list = append(list, 0)
	copy(list[at+1:], list[at:])
	list[at] = number
	return list
}

//go:noinline
func worker(done *sync.WaitGroup) {
	defer done.Done()
	var list []int
	for i := 0; i < numbers; i++ {
		list = insert(list, i)
	}
}

func main() {
	var done sync.WaitGroup
	for i := 0; i < workers; i++ {
		done.Add(1)
		go worker(&done)
	}
	done.Wait()
}
